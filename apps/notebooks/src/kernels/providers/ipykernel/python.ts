import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A Python that has ipykernel, and the files that it is made of. */
export interface Python {
  readonly program: string;
  readonly version: string;
  readonly readable: readonly string[];
}

/**
 * Of a Python of the system, whose prefix is all of /usr, these folders alone; else the whole prefix. With every link on the way to
 * the program, which of an environment may be several; with the links by which Debian names its libraries, such as those of numpy;
 * with time zones, and with what Debian's packages of Python keep beside themselves, such as matplotlib its settings and fonts.
 */
const question = `
import json, os, sys, sysconfig, ipykernel
shared = ("/", "/usr", "/usr/local")
def links(path):
    while os.path.islink(path):
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        yield path
prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
paths = {sys.executable, *links(sys.executable), os.path.realpath(sys.executable), "/etc/alternatives", "/usr/share/zoneinfo"} | {prefix for prefix in prefixes if prefix not in shared}
paths |= {path for path in [*sys.path, *(sysconfig.get_path(name) for name in ('stdlib', 'platstdlib', 'purelib', 'platlib'))] if "python" in os.path.basename(path) or "-packages" in path}
packages = [name for path in paths if path.endswith("-packages") and os.path.isdir(path) for name in os.listdir(path)]
paths |= {f"/usr/share/{name}" for name in [*packages, "fonts", "fonts-lyx", "tcltk"]} | {f"/etc/{name}rc" for name in packages}
print(json.dumps({"version": sys.version.split()[0], "paths": sorted(path for path in paths if os.path.exists(path))}))`;

/** Undefined where there is no such program, or no ipykernel in it. */
export async function findPython(program: string): Promise<Python | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-I', '-c', question], { timeout: questionTimeoutMs });
    const { version, paths } = JSON.parse(stdout) as { readonly version: string; readonly paths: readonly string[] };
    const shortest = paths.find((path) => path.endsWith(`/${program.split('/').at(-1) ?? ''}`));
    return { program: shortest ?? program, version, readable: outermost(paths) };
  } catch {
    return undefined;
  }
}

const questionTimeoutMs = 60_000;

/** A folder brings everything below it. */
const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
