import { processDocument, type ProcessingPorts } from './process-document.ts';

/** Whose turn it was last, of all workers of this process. */
export interface RoundRobin {
  last: string;
}

/** Processes documents until there is none that is due: of each organisation one, round and round. */
export async function processDueDocuments(
  ports: ProcessingPorts,
  roundRobin: RoundRobin,
  stopping: AbortSignal,
): Promise<void> {
  let missed = 0;
  // What cannot be had twice in a row is in the hands of somebody else.
  while (!stopping.aborted && missed < 2) {
    const ref = await ports.documents.nextToProcess(roundRobin.last, ports.clock.now());
    if (!ref) return;
    roundRobin.last = ref.organisationId;
    missed = (await processDocument(ports, ref, stopping)) ? 0 : missed + 1;
  }
}
