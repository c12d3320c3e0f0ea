import { changedFields, decided, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';

/** How long something is kept. */
export interface RetentionRule {
  readonly days: number;
  /** From when on they are counted. */
  readonly since: 'CREATED' | 'CHANGED';
}

export interface CollectionRetention {
  readonly collection: string;
  /** Null: its documents are kept for good. */
  readonly rule: RetentionRule | null;
}

/** Null: kept for good. */
export interface RetentionRules {
  /** Of those that no collection below has. */
  readonly documents: RetentionRule | null;
  /** Each once. */
  readonly collections: readonly CollectionRetention[];
  readonly conversations: RetentionRule | null;
  readonly transcriptions: RetentionRule | null;
}

export type RetainedKind = 'documents' | 'conversations' | 'transcriptions';

/** How many of each were deleted. */
export type Deleted = Readonly<Record<RetainedKind, number>>;

/** A look through everything, which goes on. */
export interface RetentionPass {
  /** By whose clock: what is older than its rule says at this moment is deleted. */
  readonly startedAt: Date;
  /** Which of `targetsOf` it is at. */
  readonly target: number;
  /** Where in it; empty: at its beginning. */
  readonly cursor: string;
  readonly deleted: Deleted;
}

export interface EndedPass extends Pick<RetentionPass, 'startedAt' | 'deleted'> {
  readonly finishedAt: Date;
}

export interface RetentionPolicy extends RetentionRules {
  /** Of the organisation. */
  readonly id: string;
  readonly updatedAt: Date;
  /** When somebody is to go on with it; while somebody is at it, when anybody else may. Absent: everything is kept for good. */
  readonly dueAt?: Date;
  readonly pass?: RetentionPass;
  /** The last one that has deleted something. */
  readonly lastPass?: EndedPass;
}

export type RetentionDecision = Decision<RetentionPolicy | undefined, ContentEvent>;

/** Of an organisation in which nobody has said anything. */
export const NO_RETENTION: RetentionRules = {
  documents: null,
  collections: [],
  conversations: null,
  transcriptions: null,
};

/** From the beginning of one pass to that of the next, in milliseconds. */
export const PASS_EVERY_MS = 24 * 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;

const NOTHING: Deleted = { documents: 0, conversations: 0, transcriptions: 0 };

/** What a pass looks through, one after the other. */
export interface RetentionTarget {
  readonly kind: RetainedKind;
  readonly rule: RetentionRule;
  /** Documents of this one alone. */
  readonly collection?: string;
  /** Documents of none of these. */
  readonly except?: readonly string[];
}

export function targetsOf(rules: RetentionRules): readonly RetentionTarget[] {
  const { documents, collections, conversations, transcriptions } = rules;
  const except = collections.map(({ collection }) => collection);
  const ofCollections = collections.flatMap(({ collection, rule }): RetentionTarget[] =>
    rule ? [{ kind: 'documents', rule, collection }] : [],
  );
  return [
    ...(documents ? [{ kind: 'documents', rule: documents, except } as const] : []),
    ...ofCollections,
    ...(conversations ? [{ kind: 'conversations', rule: conversations } as const] : []),
    ...(transcriptions ? [{ kind: 'transcriptions', rule: transcriptions } as const] : []),
  ];
}

/** What came to be or was changed before this is not kept. */
export const keptSince = ({ days }: RetentionRule, at: Date): Date => new Date(at.getTime() - days * DAY_MS);

/** How old something is. */
interface Aged {
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** Whether something is older than it is kept. */
export const isOver = (rule: RetentionRule | null, { createdAt, changedAt }: Aged, at: Date): boolean =>
  rule !== null && (rule.since === 'CREATED' ? createdAt : changedAt) < keptSince(rule, at);

/** The rule of a document that is filed under this. */
export function documentRule({ documents, collections }: RetentionRules, collection: string): RetentionRule | null {
  const own = collections.find((one) => one.collection === collection);
  return own ? own.rule : documents;
}

/** Puts other rules in place; what was deleted by those before is told. The same ones again change nothing. */
export function replaceRules(
  policy: RetentionPolicy | undefined,
  wanted: RetentionRules & Pick<RetentionPolicy, 'id'>,
  at: Date,
): RetentionDecision {
  const before = policy ?? NO_RETENTION;
  const change = changedFields(shown(before), shown(wanted));
  if (Object.keys(change.after).length === 0) return unchanged(policy);
  const { documents, collections, conversations, transcriptions, id } = wanted;
  const ended = policy?.pass && { ...policy.pass, finishedAt: at };
  const lastPass = ended && hasDeleted(ended.deleted) ? endedPass(ended) : policy?.lastPass;
  const next: RetentionPolicy = {
    ...{ id, documents, collections, conversations, transcriptions, updatedAt: at },
    ...(targetsOf(wanted).length > 0 && { dueAt: at }),
    ...(lastPass && { lastPass }),
  };
  const updated: ContentEvent = {
    name: 'retention_policy.updated',
    subject: id,
    at,
    data: {
      documents_days: documents?.days ?? null,
      conversations_days: conversations?.days ?? null,
      transcriptions_days: transcriptions?.days ?? null,
      collections: collections.length,
    },
    change,
  };
  return decided(next, [...(ended ? enforced(id, ended) : []), updated]);
}

/** The pass that goes on, or a new one. */
export const passOf = ({ pass }: RetentionPolicy, at: Date): RetentionPass =>
  pass ?? { startedAt: at, target: 0, cursor: '', deleted: NOTHING };

/** A part of a pass. */
export interface RetentionPart {
  readonly deleted: Partial<Deleted>;
  /** Where it goes on; undefined: everything was looked through. */
  readonly next: Pick<RetentionPass, 'target' | 'cursor'> | undefined;
}

/** So much of a pass is done. */
export function recordPart(
  policy: RetentionPolicy,
  pass: RetentionPass,
  { deleted: more, next }: RetentionPart,
  at: Date,
): RetentionDecision {
  const deleted: Deleted = {
    documents: pass.deleted.documents + (more.documents ?? 0),
    conversations: pass.deleted.conversations + (more.conversations ?? 0),
    transcriptions: pass.deleted.transcriptions + (more.transcriptions ?? 0),
  };
  if (next) return decided({ ...policy, pass: { ...pass, ...next, deleted }, dueAt: at });
  const { pass: _over, ...others } = policy;
  const ended = endedPass({ ...pass, deleted, finishedAt: at });
  const dueAt = new Date(pass.startedAt.getTime() + PASS_EVERY_MS);
  const lastPass = hasDeleted(deleted) ? { lastPass: ended } : {};
  return decided({ ...others, ...lastPass, dueAt }, enforced(policy.id, ended));
}

/** Whether nobody has changed the policy or gone on with its pass in between. */
export const isAsBefore = (one: RetentionPolicy, other: RetentionPolicy): boolean =>
  one.updatedAt.getTime() === other.updatedAt.getTime() && JSON.stringify(one.pass) === JSON.stringify(other.pass);

const hasDeleted = (deleted: Deleted): boolean => Object.values(deleted).some((count) => count > 0);

const endedPass = ({ startedAt, finishedAt, deleted }: EndedPass): EndedPass => ({ startedAt, finishedAt, deleted });

/** Of a pass that has deleted nothing nothing is told. */
function enforced(policyId: string, { startedAt, finishedAt, deleted }: EndedPass): readonly ContentEvent[] {
  if (!hasDeleted(deleted)) return [];
  const told: ContentEvent = {
    name: 'retention_policy.enforced',
    subject: policyId,
    at: finishedAt,
    data: { started_at: startedAt.toISOString(), ...deleted },
    change: { before: null, after: { started_at: startedAt.toISOString(), ...deleted } },
  };
  return [told];
}

/** What the audit log shows of it. */
const shown = ({ documents, collections, conversations, transcriptions }: RetentionRules): Fields => ({
  documents: ruleShown(documents),
  collections: collections.map(({ collection, rule }) => ({ collection, rule: ruleShown(rule) })),
  conversations: ruleShown(conversations),
  transcriptions: ruleShown(transcriptions),
});

const ruleShown = (rule: RetentionRule | null) => rule && { days: rule.days, since: rule.since };
