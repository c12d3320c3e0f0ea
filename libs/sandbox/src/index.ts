export { cpuMsOf } from './cpu-time.ts';
export { openSandbox, type OpenSandboxOptions } from './open-sandbox.ts';
export type { GuestOptions, Sandbox } from './sandbox.ts';
