import type { Schema } from 'mongoose';
import { presentScope } from './scope.ts';
import { ORGANISATION } from './scoped-collection.ts';

/** What this library keeps in a document beside the fields of its service. */
export const PENDING_EVENTS = 'pendingEvents';
export const LAST_SEQUENCE = 'lastSequence';
export const VERSION = 'version';

/** What no item of a list shows. */
export const LIBRARY_FIELDS = [PENDING_EVENTS, LAST_SEQUENCE, VERSION];

/**
 * Lets the documents of a collection hold the events of their changes until the relay has collected them: for a
 * collection that has a document store.
 */
export function withEvents<S extends Schema>(schema: S): S {
  schema.add({
    [VERSION]: { type: Number, select: false },
    [LAST_SEQUENCE]: { type: Number, select: false },
    [PENDING_EVENTS]: { type: [Object], default: undefined, select: false },
  });
  schema.index({ [`${PENDING_EVENTS}.sequence`]: 1 }, { sparse: true });
  schema.set('versionKey', false);
  return schema;
}

export const holdsEvents = (schema: Schema): boolean => PENDING_EVENTS in schema.paths;

/** A copy of the schema whose documents belong to an organisation, which nothing changes. */
export function tenantSchema(name: string, schema: Schema): Schema {
  const own = schema.clone();
  own.add({
    [ORGANISATION]: {
      type: String,
      required: true,
      immutable: true,
      default: () => presentScope()?.organisationId ?? undefined,
    },
  });
  // mongoose would drop what it does not know, without a word.
  own.set('strict', 'throw');
  for (const [key, options] of own.indexes()) {
    if (options.unique && Object.keys(key)[0] !== ORGANISATION)
      throw new Error(
        `a unique index of ${name} tells one organisation of another: it has to begin with ${ORGANISATION}`,
      );
  }
  return own;
}
