import { processDocument, type ProcessingPorts } from './process-document.ts';

/** What some workers of a process take, and whose turn it was last among them. */
export interface Lane {
  last: string;
  /** Small documents alone. */
  readonly small: boolean;
}

/** The lane of each worker: beside those of the setting there is one for small documents, which are read in no time. */
export function lanesOf(workers: number): readonly Lane[] {
  const lane: Lane = { last: '', small: false };
  return workers === 0 ? [] : [...Array<Lane>(workers).fill(lane), { last: '', small: true }];
}

/** Processes documents until there is none that is due: of each organisation one, round and round. Answers how many there were. */
export async function processDueDocuments(ports: ProcessingPorts, lane: Lane, stopping: AbortSignal): Promise<number> {
  let [processed, missed] = [0, 0];
  // What cannot be had twice in a row is in the hands of somebody else.
  while (!stopping.aborted && missed < 2) {
    const ref = await ports.documents.nextToProcess(lane.last, ports.clock.now(), lane);
    if (!ref) break;
    lane.last = ref.organisationId;
    const isProcessed = await processDocument(ports, ref, stopping);
    processed += isProcessed ? 1 : 0;
    missed = isProcessed ? 0 : missed + 1;
  }
  return processed;
}
