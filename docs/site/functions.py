"""The reference of the Python package: signatures and docstrings as they stand in its sources."""

import ast

# The modules whose public names a user imports, as they are called.
MODULES = ("", "oracle", "check", "gpu", "plots")


def public_names(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [element.value for element in node.value.elts]
    return []


def definitions(folder):
    """{name: node} of the functions and classes of a package's modules."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                found[node.name] = node
    return found


def signature(node):
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}"


def options_of(node):
    """Where the keywords of a function stand that takes the options of a command (python/socketlab/_options.py)."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "takes":
            command = decorator.args[0].value
            return (
                f"\n\n**options: those of `socketlab {command}`, with _ for - in their names; "
                f"help(socketlab.{node.name}) lists them with\ntypes, defaults and ranges."
            )
    return ""


def section(prefix, node):
    methods = [(f"{prefix}{node.name}.{method.name}", method) for method in getattr(node, "body", [])
               if isinstance(node, ast.ClassDef) and isinstance(method, ast.FunctionDef) and method.name[0] != "_"]  # fmt: skip
    for name, one in [(f"{prefix}{node.name}", node), *methods]:
        if docstring := ast.get_docstring(one):
            yield from (f"### {name}", "", f"```text\n{signature(one)}\n\n{docstring}{options_of(one)}\n```", "")


def function_page(package):
    lines = [
        "# Functions of the Python package",
        "",
        "Signatures and docstrings of [docs/python.md](../docs/python.md).",
        "",
    ]
    for module in MODULES:
        folder = package / module if (package / module).is_dir() else package
        start = package / f"{module}.py" if module and folder == package else folder / "__init__.py"
        found, prefix = definitions(folder), f"socketlab.{module}." if module else "socketlab."
        body = ast.parse(start.read_text(encoding="utf-8")).body
        lines += [f"## {prefix.rstrip('.')}", ""]
        for name in public_names(start) or [node.name for node in body if hasattr(node, "name")]:
            lines += section(prefix, found[name]) if name in found else []
    return "\n".join(lines) + "\n"
