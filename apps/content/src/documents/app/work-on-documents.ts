import { workInTurns } from '@platform-backend/core';
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
export const processDueDocuments = (ports: ProcessingPorts, lane: Lane, stopping: AbortSignal): Promise<number> =>
  workInTurns(
    lane,
    stopping,
    (last) => ports.documents.nextToProcess(last, ports.clock.now(), lane),
    (ref) => processDocument(ports, ref, stopping),
  );
