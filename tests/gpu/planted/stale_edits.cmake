# Edits that edits.py must refuse: the passage of the first stands twice or more in its file, that of the second
# nowhere, the third edits nothing, and the fourth has the name of the third.
edit(found-twice attention/attention.cu attention/attention.cu [[  block_barrier();]] [[]])
edit(found-nowhere attention/attention.cu attention/attention.cu [[  block_barriers();]] [[]])
edit(edits-nothing index/key_codes.cu index/build_kernel.cuh [[  block_barrier();]] [[  block_barrier();]])
edit(edits-nothing index/key_codes.cu index/build_kernel.cuh [[  block_barrier();]] [[]])
