import type { ReadSource } from '../../connections/app/read-source.ts';
import type { ConnectionSource } from '../../connections/domain/source.ts';
import { failedReport, type RunStepFor, type StepLimits } from '../../step-engine/domain/step-job.ts';
import type { DatasetStepReport } from '../domain/dataset-steps.ts';
import { storeOutput, type StoreOutputPorts } from './store-output.ts';

export interface SourceReadingPorts extends StoreOutputPorts {
  readonly runStepFor: RunStepFor;
  readonly readSource: ReadSource;
  /** Of what is read, as of an upload. */
  readonly maxBytes: number;
  readonly limits: StepLimits;
}

export type ReadFromSource = (
  organisationId: string,
  dataset: { readonly name: string; readonly source: ConnectionSource },
  signal: AbortSignal,
) => Promise<DatasetStepReport>;

/**
 * Brings what a source has to a file of this machine, and has that read as an uploaded one is: in the sandbox, which reaches no network. Rejected with
 * the signal's reason when it is aborted.
 */
export const readFromSource =
  (ports: SourceReadingPorts): ReadFromSource =>
  (organisationId, { name, source }, signal) =>
    ports.files.withFolder(async ({ newPath }) => {
      const { limits, maxBytes } = ports;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(limits.seconds * 1000)]);
      const [file, output] = [newPath('source'), newPath('output')];
      const fetched = await ports
        .readSource(organisationId, source, { file, maxBytes, signal: inTime })
        .catch((error: unknown) => {
          if (signal.aborted || !inTime.aborted) throw error;
          return failedReport('timed_out', `It took longer than ${limits.seconds} s`);
        });
      if ('outcome' in fetched) return { ...fetched, output: null };
      const report = await ports.runStepFor(organisationId)(
        { kind: 'INGEST', inputs: [{ name, file, ...fetched }], query: '', output: { name, file: output }, limits },
        { signal, onLog: () => undefined },
      );
      return storeOutput(ports, organisationId, report, output);
    });
