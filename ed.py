import pathlib,sys
def sub(path, old, new, count=1):
    p=pathlib.Path(path); t=p.read_text()
    if t.count(old)!=count: raise SystemExit(f"{path}: {t.count(old)} x {old[:70]!r}")
    p.write_text(t.replace(old,new))
