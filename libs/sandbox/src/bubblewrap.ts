import { spawn, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { withLimits } from './limits.ts';
import { watchMemory } from './memory.ts';
import { requirePipes } from './require-pipes.ts';
import type { GuestOptions, Mount, Sandbox } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';

/** `program` is the bubblewrap to use. */
export function bubblewrap(program: string): Sandbox {
  const libraries = libraryFolders();
  const node = realpathSync(process.execPath);

  function start(command: readonly string[], options: GuestOptions, channel: 'ipc' | 'ignore'): ChildProcess {
    const { output = 'ignore', pipes = 0, serialization = 'json', mayFork = false } = options;
    const filter = systemCallFilter(process.arch, { mayFork });
    const environment = {
      ...options.environment,
      ...(channel === 'ipc' && { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: serialization }),
    };
    const filterDescriptor = 4 + pipes;
    const [started, ...args] = withLimits(
      [
        program,
        ...isolation,
        ...(filter ? ['--seccomp', String(filterDescriptor)] : []),
        ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
        ...(options.temporaryBytes === undefined ? [] : ['--size', String(options.temporaryBytes), '--tmpfs', '/tmp']),
        ...(options.sharedMemoryBytes === undefined
          ? []
          : ['--size', String(options.sharedMemoryBytes), '--tmpfs', '/dev/shm']),
        ...[...libraries, ...(options.readable ?? [])].flatMap((one) => ['--ro-bind', ...mounted(one)]),
        ...(options.writable ?? []).flatMap((one) => ['--bind', ...mounted(one)]),
        // Folders made for the mounts lie in memory and are nobody's; nothing can be kept there.
        ...['--remount-ro', '/dev', '--remount-ro', '/'],
        ...['--chdir', options.workingDirectory ?? '/', '--', ...command, ...(options.args ?? [])],
      ],
      options,
    );
    const guest = spawn(started, args, {
      // What bubblewrap itself has for an environment its guests can read, as that of process 1.
      env: {},
      stdio: [
        'ignore',
        output,
        output,
        channel,
        ...Array<'pipe'>(pipes).fill('pipe'),
        ...(filter ? ['pipe' as const] : []),
      ],
      serialization,
    });
    requirePipes(guest);
    if (filter) hand(filter, guest.stdio[filterDescriptor as 4] as Writable | undefined);
    watchMemory(guest, options, { allThreads: mayFork });
    return guest;
  }

  return {
    kind: 'bubblewrap',
    hasOwnPaths: true,
    fork: (module, options) =>
      start(
        [node, ...(options.execArgv ?? []), module],
        { ...options, readable: [node, ...(options.readable ?? [])] },
        'ipc',
      ),
    spawn: (command, options) => start([command], options, 'ignore'),
  };
}

const mounted = (one: string | Mount): readonly [string, string] =>
  typeof one === 'string' ? [one, one] : [one.path, one.as];

const isolation = [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  ...['--hostname', 'sandbox'],
  ...['--cap-drop', 'ALL'],
  ...['--uid', '65534', '--gid', '65534'],
  ...['--proc', '/proc', '--dev', '/dev'],
];

/**
 * Where the system's libraries lie that this very Node has loaded, and the loader, which programs name by its path. Where
 * `/lib` is a link, by both names: libraries themselves may be links to the other one, such as those of BLAS on Debian.
 */
function libraryFolders(): string[] {
  const report = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const folders = report.sharedObjects.filter((path) => systemLibrary.test(path)).map((path) => dirname(path));
  return [...new Set(folders.flatMap((folder) => [folder, realpathSync(folder)]))];
}

/** Not the addons of packages, and not what they bring along. */
const systemLibrary = /^\/.*\/(?:ld-|lib(?:c|m|dl|rt|pthread|gcc_s|stdc\+\+|atomic)\b)[^/]*\.so[^/]*$/;

/** It reads all of the filter before it starts the guest; if it is gone already, its end tells more than this does. */
function hand(filter: Uint8Array, pipe: Writable | undefined): void {
  pipe?.on('error', () => undefined).end(filter);
}
