import { type ActorContext, fieldViolation, invalid, type Violation } from '@platform-backend/core';
import type { Document } from '../../documents/domain/document.ts';
import type { RetentionPolicies } from '../domain/retention-policies.ts';
import {
  NO_RETENTION,
  replaceRules,
  targetsOf,
  type Deleted,
  type RetainedKind,
  type RetentionPolicy,
  type RetentionRules,
} from '../domain/retention-policy.ts';
import type { Retained, RetainedThings } from './retained.ts';

export interface RetentionPorts {
  readonly policies: RetentionPolicies;
  readonly retained: Retained;
  /** Of the database, which all replicas go by. */
  readonly now: () => Promise<Date>;
}

/** As it is shown where nobody has made one, too. */
export type ShownPolicy = RetentionRules & Partial<Pick<RetentionPolicy, 'updatedAt' | 'lastPass'>>;

export interface RetentionPreview extends Deleted {
  readonly at: Date;
  readonly examples: readonly Document[];
}

export type RetentionUseCases = ReturnType<typeof retentionUseCases>;

/** Of a target and of a whole preview. */
const [EXAMPLES, EXAMPLES_IN_ALL] = [20, 100];

/** Of each kind: that many or more. */
const COUNTED = 10_000;

export const retentionUseCases = ({ policies, retained, now }: RetentionPorts) => ({
  getPolicy: async ({ organisationId }: ActorContext): Promise<ShownPolicy> =>
    (await policies.find(organisationId)) ?? NO_RETENTION,

  /** INVALID: a collection has two rules. */
  async replacePolicy(by: ActorContext, rules: RetentionRules): Promise<ShownPolicy> {
    requireEachOnce(rules);
    const at = await now();
    const policy = await policies.update(by, (found) => replaceRules(found, { ...rules, id: by.organisationId }, at));
    return policy ?? NO_RETENTION;
  },

  /** What the rules would not keep at this moment. INVALID: a collection has two. */
  async preview({ organisationId }: ActorContext, rules: RetentionRules): Promise<RetentionPreview> {
    requireEachOnce(rules);
    const at = await now();
    const targets = targetsOf(rules);
    /** One target after the other, until as many are counted and shown as are told. */
    const look = async <Thing extends { readonly id: string }>(kind: RetainedKind, things: RetainedThings<Thing>) => {
      let total = 0;
      const examples: Thing[] = [];
      for (const target of targets.filter((one) => one.kind === kind)) {
        if (total >= COUNTED && examples.length >= EXAMPLES_IN_ALL) break;
        const request = { limit: EXAMPLES, cursor: '', includeTotal: total < COUNTED };
        const page = await things.over(organisationId, target, at, request);
        total = Math.min(COUNTED, total + (page.total ?? 0));
        examples.push(...page.items);
      }
      return { total, examples: examples.slice(0, EXAMPLES_IN_ALL) };
    };
    const [documents, conversations, transcriptions] = await Promise.all([
      look('documents', retained.documents),
      look('conversations', retained.conversations),
      look('transcriptions', retained.transcriptions),
    ]);
    return {
      at,
      documents: documents.total,
      conversations: conversations.total,
      transcriptions: transcriptions.total,
      examples: documents.examples,
    };
  },
});

function requireEachOnce({ collections }: RetentionRules): void {
  const names = collections.map(({ collection }) => collection);
  const wrong = names.flatMap((input, index): Violation[] =>
    names.indexOf(input) === index
      ? []
      : [fieldViolation(['body', 'collections', index, 'collection'], 'this collection has a rule already', input)],
  );
  if (wrong.length > 0) throw invalid(wrong);
}
