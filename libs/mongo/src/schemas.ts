import { Schema } from 'mongoose';
import { presentScope } from './scope.ts';
import { ORGANISATION } from './scoped-collection.ts';

// An empty text is a text: that of a description that says nothing.
Schema.Types.String.checkRequired((value) => typeof value === 'string');

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
  countCharacters(own);
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

/** Lengths are in characters, as in the contract and to MongoDB; mongoose alone counts the two halves of an emoji. */
function countCharacters(schema: Schema): void {
  schema.eachPath((_path, type) => {
    const limit: unknown = (type.options as { maxlength?: unknown }).maxlength;
    for (const rule of type.validators)
      if (rule.type === 'maxlength' && typeof limit === 'number')
        Object.assign(rule, { validator: (text: unknown) => typeof text !== 'string' || isWithin(text, limit) });
    const { schema: inner } = type as { schema?: Schema };
    if (inner) countCharacters(inner);
  });
}

const isWithin = (text: string, limit: number): boolean => text.length <= limit || Array.from(text).length <= limit;
