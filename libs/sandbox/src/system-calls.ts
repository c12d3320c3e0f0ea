/**
 * A seccomp filter (classic BPF) for guests. Namespaces take away what is outside; this takes away doors of the operating
 * system that code in a guest has no use for and that have led out of sandboxes before, memory that no process is seen to
 * hold, and new processes.
 */

interface Machine {
  /** AUDIT_ARCH_* of <linux/audit.h>. */
  readonly architecture: number;
  readonly denied: readonly number[];
  readonly clone: number;
  readonly socket: number;
  /** Where they are calls of their own. */
  readonly fork: readonly number[];
  /** Numbers from here on belong to another convention of calls, which is refused as a whole. */
  readonly foreignFrom?: number;
}

/** The same on every machine: clone3, whose flags a filter cannot see; C libraries fall back to clone. */
const clone3 = 435;
/** The same on every machine: io_uring, the calls of the newer mount interface, pidfd_getfd, memfd_secret. */
const newer = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 447];

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    architecture: 0xc000003e,
    // oxfmt-ignore
    denied: [
      29, 30, 64, 68, // shmget, shmat, semget, msgget
      101, 310, 311, // ptrace, process_vm_readv, process_vm_writev
      135, 155, 161, 165, 166, 272, 308, // personality, pivot_root, chroot, mount, umount2, unshare, setns
      167, 169, 175, 176, 179, 246, 313, // swapon, reboot, init_module, delete_module, quotactl, kexec_load, finit_module
      248, 249, 250, // add_key, request_key, keyctl
      298, 303, 304, 319, 321, 323, // perf_event_open, name_to_handle_at, open_by_handle_at, memfd_create, bpf, userfaultfd
      ...newer,
    ],
    clone: 56,
    socket: 41,
    fork: [57, 58],
    foreignFrom: 0x40000000,
  },
  arm64: {
    architecture: 0xc00000b7,
    // oxfmt-ignore
    denied: [
      194, 196, 190, 186, // shmget, shmat, semget, msgget
      117, 270, 271, // ptrace, process_vm_readv, process_vm_writev
      92, 41, 51, 40, 39, 97, 268, // personality, pivot_root, chroot, mount, umount2, unshare, setns
      224, 142, 105, 106, 60, 104, 273, // swapon, reboot, init_module, delete_module, quotactl, kexec_load, finit_module
      217, 218, 219, // add_key, request_key, keyctl
      241, 264, 265, 279, 280, 282, // perf_event_open, name_to_handle_at, open_by_handle_at, memfd_create, bpf, userfaultfd
      ...newer,
    ],
    clone: 220,
    socket: 198,
    fork: [],
  },
};

/** Undefined for a machine whose numbers of calls are not known here; namespaces and the watch of memory remain. */
export function systemCallFilter(machine: string, { mayFork }: { readonly mayFork: boolean }): Uint8Array | undefined {
  const known = machines[machine];
  if (!known) return undefined;
  const { architecture, denied, clone, socket, fork, foreignFrom } = known;
  return assemble([
    load(offsets.architecture),
    ...unless(jumps.equal, architecture, answers.killProcess),
    load(offsets.number),
    ...(foreignFrom === undefined ? [] : when(jumps.atLeast, foreignFrom, answers.refuse(errors.ENOSYS))),
    ...[...denied, ...(mayFork ? [] : fork)].flatMap((call) => when(jumps.equal, call, answers.refuse(errors.EPERM))),
    ...when(jumps.equal, clone3, answers.refuse(errors.ENOSYS)),
    // In a network namespace there is nobody behind these; other families, such as vsock, have no namespaces.
    ...onlyFor(socket, [
      load(offsets.firstArgument),
      ...unlessOneOf(Object.values(namespacedFamilies), answers.refuse(errors.EAFNOSUPPORT)),
    ]),
    ...onlyFor(clone, [
      load(offsets.firstArgument),
      ...when(jumps.anyBitOf, newNamespaces, answers.refuse(errors.EPERM)),
      ...(mayFork ? [] : unless(jumps.anyBitOf, CLONE_THREAD, answers.refuse(errors.EPERM))),
    ]),
    give(answers.allow),
  ]);
}

const namespacedFamilies = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };
const CLONE_THREAD = 0x10000;
/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e020080;

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
const answers = { allow: 0x7fff0000, killProcess: 0x80000000, refuse: (error: number) => 0x00050000 | error };
/** Of the fields in `struct seccomp_data`; the lower half of an argument. */
const offsets = { number: 0, architecture: 4, firstArgument: 16 };

/** `struct sock_filter`. */
interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

const jumps = { equal: 0x15, atLeast: 0x35, anyBitOf: 0x45 };
const load = (offset: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, value: offset });
const give = (answer: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, value: answer });
const when = (test: number, value: number, answer: number): Instruction[] => [
  { code: test, ifTrue: 0, ifFalse: 1, value },
  give(answer),
];
const unless = (test: number, value: number, answer: number): Instruction[] => [
  { code: test, ifTrue: 1, ifFalse: 0, value },
  give(answer),
];
const unlessOneOf = (values: readonly number[], answer: number): Instruction[] => [
  ...values.map((value, index) => ({ code: jumps.equal, ifTrue: values.length - index, ifFalse: 0, value })),
  give(answer),
];
/** After the block the number of the call is there again. */
const onlyFor = (call: number, block: readonly Instruction[]): Instruction[] => [
  { code: jumps.equal, ifTrue: 0, ifFalse: block.length, value: call },
  ...block,
  load(offsets.number),
];

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [position, { code, ifTrue, ifFalse, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, position * 8);
    bytes.writeUInt8(ifTrue, position * 8 + 2);
    bytes.writeUInt8(ifFalse, position * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, position * 8 + 4);
  }
  return bytes;
}
