export { cpuMsOf } from './cpu-time.ts';
export { memoryBytesOf } from './memory.ts';
export { openSandbox, type OpenSandboxOptions } from './open-sandbox.ts';
export type { GuestOptions, Sandbox } from './sandbox.ts';
