"""How does a step change the weights? One flat buffer of gradients, summed over the processes and clipped, then Muon
for the matrices within the blocks and AdamW for the rest.

Queries' and keys' matrices stay with AdamW, as in published models: what keys look like is what is studied, and Muon is
known to let q.k grow where queries and keys are not normalised. A step whose gradient is not finite changes no weight
by it.
"""

import torch
import torch.distributed as dist

BETAS, WEIGHT_DECAY, CLIP, EPSILON = (0.9, 0.95), 0.1, 1.0, 1e-8
OF_MUON = ("value", "output", "gate", "up", "down")


def groups(model, optimizer):
    """(matrices for Muon, matrices for AdamW, gains for AdamW without decay) of a model."""
    muon, matrices, gains = [], [], []
    for name, weight in model.named_parameters():
        if weight.ndim < 2:
            gains.append(weight)
        elif optimizer == "muon" and name.rpartition(".")[2] in OF_MUON:
            muon.append(weight)
        else:
            matrices.append(weight)
    return muon, matrices, gains


class Optimizer:
    def __init__(self, model, optimizer, rate, muon_rate, world):
        muon, matrices, gains = groups(model, optimizer)
        on_gpu = next(model.parameters()).is_cuda
        adam = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": gains, "weight_decay": 0.0}]
        self.parts = [(torch.optim.AdamW(adam, lr=rate, betas=BETAS, eps=EPSILON, fused=on_gpu), rate)]
        if muon:
            # Updates of the size of AdamW's, so that one learning rate means the same in both.
            of_muon = torch.optim.Muon(
                muon, lr=muon_rate, weight_decay=WEIGHT_DECAY, momentum=0.95, adjust_lr_fn="match_rms_adamw"
            )
            self.parts.append((of_muon, muon_rate))
        weights = list(model.parameters())
        self.gradient = torch.zeros(sum(weight.numel() for weight in weights), device=weights[0].device)
        first = 0
        for weight in weights:
            # Backward adds to these views; nothing may set them to None.
            weight.grad = self.gradient[first : first + weight.numel()].view_as(weight)
            first += weight.numel()
        self.world = world

    def step(self, share_of_rate):
        """Applies the mean gradient of the processes and clears it; its norm before clipping, on the device."""
        if self.world > 1:
            dist.all_reduce(self.gradient)
            self.gradient.div_(self.world)
        norm = self.gradient.norm()
        clipped = self.gradient * (CLIP / (norm + 1e-6)).clamp(max=1.0)
        self.gradient.copy_(torch.where(norm.isfinite(), clipped, torch.zeros_like(clipped)))
        for part, rate in self.parts:
            for group in part.param_groups:
                group["lr"] = rate * share_of_rate
            part.step()
        self.gradient.zero_()
        return norm
