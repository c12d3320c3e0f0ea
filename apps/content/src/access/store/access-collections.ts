import { Schema, withEvents } from '@platform-backend/mongo';

/** Of whatever can be restricted: what the schema of its collection has for that. */
export const accessFields = {
  /** Absent: everybody. */
  access: { type: new Schema({ groups: [String], members: [String] }, { _id: false }), default: undefined },
  createdBy: String,
  createdByKey: String,
  /** Follows from those above, for filters. Absent of what was made before there was any restriction: everybody. */
  readers: { type: [String], default: undefined },
  /** Only where it is restricted: for lists of those. */
  visibility: { type: String, enum: ['restricted'] as const },
};

/** Who has made a version of a thing. */
export const actorSchema = new Schema(
  {
    type: { type: String, required: true },
    id: { type: String, required: true },
    name: { type: String, required: true },
  },
  { _id: false, id: false },
);

/** `_id` is organisation and name. */
const restrictedCollections = withEvents(
  new Schema({
    ...accessFields,
    _id: { type: String, required: true },
    collectionName: { type: String, required: true, maxlength: 200 },
    createdAt: { type: Date, required: true },
  }),
);
restrictedCollections.index({ organisationId: 1, createdAt: 1, _id: 1 });

/** Organisations of which anything has ever been restricted. `_id` is the organisation. */
const restrictedOrganisations = new Schema({ _id: { type: String, required: true } });
restrictedOrganisations.index({ organisationId: 1 });

/** Collections of which an organisation has a limited number of things. `_id` is organisation and collection. */
const limitedCollections = new Schema({
  _id: { type: String, required: true },
  created: { type: Number, required: true, min: 0 },
});
limitedCollections.index({ organisationId: 1 });

export const accessCollections = { limitedCollections, restrictedCollections, restrictedOrganisations };
