/** Begins to write a snapshot in the file that it is told, and does not come to its end before it is killed. */
import { sameBudgets } from '../indexes/index-parts.ts';
import { writeSnapshot } from '../indexes/snapshot-file.ts';

function* endless(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(1_000);
}

const [, , file = ''] = process.argv;
const of = {
  organisationId: 'org',
  part: 'content',
  model: 'm',
  budgets: sameBudgets(1),
  made: '',
  position: 0,
} as const;
await writeSnapshot(file, of, { endless: endless() });
