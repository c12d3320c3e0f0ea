import { storeOutput, type StoreOutputPorts } from '../../datasets/app/store-output.ts';
import type { RunKernelStep } from '../domain/kernel-step.ts';
import type { RunProgram } from './kernel-programs.ts';

export interface KernelStepPorts extends StoreOutputPorts {
  readonly runProgram: RunProgram;
}

/** Brings the inputs of a program to this machine and its output into the object store. */
export function kernelSteps(ports: KernelStepPorts): RunKernelStep {
  const { files, runProgram } = ports;

  return (organisationId, step, run) =>
    files.withFolder(async (folder) => {
      const inputs = await Promise.all(
        step.inputs.map(async ({ name, objectKey }) => {
          const file = await folder.bring(objectKey, run.signal);
          return { name, query: '', tables: [{ name, file }] };
        }),
      );
      const report = await runProgram(organisationId, { ...step, inputs }, folder, run);
      if (report.outcome === 'POSTPONED') return { ...report, message: `Waits for a kernel: ${report.message}` };
      return storeOutput(ports, organisationId, report, folder.newPath('output'));
    });
}
