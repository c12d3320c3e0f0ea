import { mongo, type Schema, type SchemaType } from 'mongoose';
import { isDeepStrictEqual } from 'node:util';

type JsonSchema = Record<string, unknown> & {
  readonly properties?: Record<string, JsonSchema>;
  readonly items?: JsonSchema;
};

/** What a schema says of lengths and amounts, by its own names and those of JSON Schema. */
const BOUNDS = { minlength: 'minLength', maxlength: 'maxLength', min: 'minimum', max: 'maximum' } as const;

/**
 * What the server is told that documents of a collection have to be: types, required fields, enums, lengths and bounds, as their schema
 * has them. mongoose translates all but lengths and bounds. Fields that it does not know are let be: another version may have them.
 */
export function validatorOf(schema: Schema): mongo.Document {
  const translated = schema.toJSONSchema({ useBsonType: true }) as JsonSchema;
  addBounds(translated, schema);
  return { $jsonSchema: { bsonType: 'object', ...translated } };
}

function addBounds(translated: JsonSchema | undefined, schema: Schema): void {
  schema.eachPath((path, type) => {
    const at = path.split('.').reduce<JsonSchema | undefined>((inner, name) => inner?.properties?.[name], translated);
    if (at) bound(at, type);
  });
}

function bound(at: JsonSchema, type: SchemaType): void {
  for (const [name, keyword] of Object.entries(BOUNDS)) {
    const limit: unknown = (type.options as Record<string, unknown>)[name];
    if (typeof limit === 'number') Object.assign(at, { [keyword]: limit });
  }
  const { schema, embeddedSchemaType: item } = type as SchemaType & {
    schema?: Schema;
    embeddedSchemaType?: SchemaType;
  };
  if (schema) addBounds(at.items ?? at, schema);
  else if (item && at.items) bound(at.items, item);
}

const UNAUTHORIZED = 13;

/** A user who may make collections and indexes, and say nothing of what is in them. */
export class MayNotValidate extends Error {
  override readonly name = 'MayNotValidate';
}

/**
 * Has the server refuse what the schemas refuse, and answers of which collections that was not so before. Documents that are there and are
 * not as their schema has them may go on being changed. Nothing else is touched, and nothing is read.
 * @throws MayNotValidate when the user may not.
 */
export async function applyValidators(db: mongo.Db, schemas: ReadonlyMap<string, Schema>): Promise<string[]> {
  const present = new Map((await db.listCollections().toArray()).map((found) => [found.name, found]));
  const applied: string[] = [];
  for (const [name, schema] of schemas) {
    const wanted = { validator: validatorOf(schema), validationLevel: 'moderate', validationAction: 'error' };
    const found = present.get(name);
    const options = (found as { options?: mongo.Document } | undefined)?.options ?? {};
    if (Object.entries(wanted).every(([option, value]) => isDeepStrictEqual(options[option], value))) continue;
    try {
      await db.command(found ? { collMod: name, ...wanted } : { create: name, ...wanted });
    } catch (error) {
      if (error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED)
        throw new MayNotValidate(`${name} is not validated by the server: its user needs the role dbAdmin`);
      throw error;
    }
    applied.push(name);
  }
  return applied;
}
