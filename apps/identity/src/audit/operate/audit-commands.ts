import { command, WrongUsage, type Command } from '@platform-backend/command-line';
import type { AuditChains, ChainHead } from '../domain/audit-chain.ts';

export interface AuditCommandParts {
  readonly chains: AuditChains;
  readonly write: (answer: object) => void;
}

export const auditUsage = `npm run -s audit -- verify [--organisation ID [--head SEQUENCE:HASH]]

Looks after the audit log. Answers are lines of JSON; the exit code is 1 where a chain is broken.
  verify   follows the chain of each organisation, or of one, entry by entry, and says the first that is not as it was.
           With --head also that it still has what an earlier verify said of it`;

/** `npm run -s audit -- verify`: whether all entries are as they were written. */
export const auditCommands = (open: () => Promise<AuditCommandParts & AsyncDisposable>): Record<string, Command> => ({
  verify: command({
    name: 'npm run audit -- verify',
    usage: auditUsage,
    options: { organisation: { type: 'string' }, head: { type: 'string' } },
    run: async ({ values: { organisation, head } }) => {
      if (head !== undefined && organisation === undefined)
        throw new WrongUsage('--head is of one organisation: say which with --organisation.');
      const noted = head === undefined ? undefined : parseHead(head);
      await using parts = await open();
      for (const id of organisation === undefined ? await parts.chains.organisations() : [organisation]) {
        const { organisationId, head: reached, broken } = await parts.chains.verify(id, noted);
        if (broken) process.exitCode = 1;
        parts.write({ organisationId, entries: reached.sequence, head: `${reached.sequence}:${reached.hash}`, broken });
      }
    },
  }),
});

function parseHead(text: string): ChainHead {
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence === undefined || hash === undefined)
    throw new WrongUsage(`--head is what verify has said, such as 12:5f…, and not "${text}".`);
  return { sequence: Number(sequence), hash };
}
