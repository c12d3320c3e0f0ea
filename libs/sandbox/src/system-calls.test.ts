import { describe, expect, it } from '@jest/globals';
import { systemCallFilter } from './system-calls.ts';

const allowed = 0x7fff0000;
const refused = (error: number): number => 0x50000 | error;

/** What the operating system does with a filter, for one call. */
function answer(
  filter: Uint8Array,
  { architecture, number, argument = 0 }: { architecture: number; number: number; argument?: number },
): number {
  const bytes = Buffer.from(filter);
  const fields: Record<number, number> = { 0: number, 4: architecture, 16: argument };
  let loaded = 0;
  for (let at = 0; ; at += 8) {
    const [code, ifTrue, ifFalse, value] = [
      bytes.readUInt16LE(at),
      bytes[at + 2],
      bytes[at + 3],
      bytes.readUInt32LE(at + 4),
    ];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = fields[value] ?? 0;
    else {
      const met = code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
      at += 8 * ((met ? ifTrue : ifFalse) ?? 0);
    }
  }
}

describe.each([
  { machine: 'x64', architecture: 0xc000003e, read: 0, clone: 56, ptrace: 101, socket: 41, queues: [64, 68] },
  { machine: 'arm64', architecture: 0xc00000b7, read: 63, clone: 220, ptrace: 117, socket: 198, queues: [190, 186] },
])('the filter of system calls for $machine', ({ machine, architecture, read, clone, ptrace, socket, queues }) => {
  const filter = systemCallFilter(machine, { mayFork: false }) ?? new Uint8Array();
  const forking = systemCallFilter(machine, { mayFork: true }) ?? new Uint8Array();

  it('lets calls pass that every program makes', () => {
    expect(answer(filter, { architecture, number: read })).toBe(allowed);
  });

  it('refuses those that a guest has no use for', () => {
    expect(answer(filter, { architecture, number: ptrace })).toBe(refused(1));
    expect(answer(forking, { architecture, number: ptrace })).toBe(refused(1));
  });

  it('refuses queues and semaphores of System V, which hold memory that no process is seen to hold', () => {
    for (const number of queues) expect(answer(filter, { architecture, number })).toBe(refused(1));
  });

  it('lets threads begin, and processes only where that is wanted, never in namespaces of their own', () => {
    const [thread, process, namespace] = [0x10f00, 17, 0x10000011];
    expect(
      [thread, process, namespace].map((argument) => answer(filter, { architecture, number: clone, argument })),
    ).toEqual([allowed, refused(1), refused(1)]);
    expect(
      [thread, process, namespace].map((argument) => answer(forking, { architecture, number: clone, argument })),
    ).toEqual([allowed, allowed, refused(1)]);
    expect(answer(forking, { architecture, number: 435 })).toBe(refused(38));
  });

  it('lets sockets be made of the families alone that have namespaces', () => {
    const answers = [1, 2, 10, 16, 17, 40].map((argument) =>
      answer(filter, { architecture, number: socket, argument }),
    );
    expect(answers).toEqual([allowed, allowed, allowed, allowed, refused(97), refused(97)]);
  });

  it('kills what calls by the numbers of another machine', () => {
    expect(answer(filter, { architecture: 0x40000003, number: read })).toBe(0x80000000);
  });
});

describe('a machine whose calls are not known', () => {
  it('has no filter', () => {
    expect(systemCallFilter('riscv64', { mayFork: false })).toBeUndefined();
  });
});
