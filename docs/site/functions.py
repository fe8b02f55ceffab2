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
    docstring = ast.get_docstring(node)
    documented = [(f"{prefix}{node.name}", signature(node), docstring and docstring + options_of(node))]
    if isinstance(node, ast.ClassDef):
        documented += [
            (f"{prefix}{node.name}.{method.name}", signature(method), ast.get_docstring(method))
            for method in node.body
            if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
        ]
    return [
        line
        for name, text, docstring in documented
        if docstring
        for line in (f"### {name}", "", f"```text\n{text}\n\n{docstring}\n```", "")
    ]


def function_page(package):
    lines = [
        "# Functions of the Python package",
        "",
        "Signatures and docstrings of [docs/python.md](../docs/python.md).",
        "",
    ]
    for module in MODULES:
        folder = package / module if module and (package / module).is_dir() else package
        start = folder / "__init__.py" if folder != package or not module else package / f"{module}.py"
        if not start.exists():
            continue
        found, prefix = definitions(folder), f"socketlab.{module}." if module else "socketlab."
        wanted = public_names(start) or [
            node.name for node in ast.parse(start.read_text(encoding="utf-8")).body if hasattr(node, "name")
        ]
        lines += [f"## {prefix.rstrip('.')}", ""]
        for name in wanted:
            if name in found:
                lines += section(prefix, found[name])
    return "\n".join(lines) + "\n"
