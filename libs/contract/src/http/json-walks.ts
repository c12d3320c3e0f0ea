import protobuf from 'protobufjs';
import { fieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import { byteText, mapJson, numberJson, type ByteText } from './byte-text.ts';
import { wellKnown } from './well-known-json.ts';
import { WireReader, type Walk } from './wire-reader.ts';

/** Makes JSON of the bytes of a message. */
export type JsonOf = (message: Buffer) => ByteText;

/**
 * Walks from the bytes of messages to their JSON. Each type has a function of its own, generated from its descriptor: values go
 * from the wire into the text, and no object stands between. Types are compiled once, however often and however recursively
 * they are used.
 */
export class JsonWalks {
  /** By the full name of the type, also while its walk is still made: a type may contain itself. */
  readonly #known = new Map<string, { walk: Walk }>();

  of(type: protobuf.Type): JsonOf {
    const { walk } = this.#entry(type);
    return (message) => walk(new WireReader(message), undefined, 0);
  }

  /** The JSON of each of some fields of a message; its other fields are passed over. */
  fields(type: protobuf.Type, fields: readonly protobuf.Field[]): (message: Buffer) => ByteText[] {
    const read = this.#generate<ByteText[]>(fields, `[${fields.map(shown).join(',')}]`);
    return (message) => read(new WireReader(message), undefined, 0);
  }

  #entry(type: protobuf.Type): { walk: Walk } {
    const { fullName } = type;
    const known = this.#known.get(fullName);
    if (known) return known;
    const entry = { walk: wellKnown[fullName] ?? unfinished };
    this.#known.set(fullName, entry);
    if (entry.walk !== unfinished) return entry;
    const fields = type.fieldsArray.toSorted((a, b) => a.id - b.id);
    entry.walk = this.#generate(fields, jsonExpression(type, fields));
    return entry;
  }

  /**
   * Reads as protobufjs does: by the type that a field has, whatever the wire says of it; of fields that come several times the
   * last one counts, unless they are lists or maps.
   */
  #generate<Result = ByteText>(fields: readonly protobuf.Field[], result: string): Walk<Result> {
    /** What the code uses beside its arguments, by name. */
    const used: Record<string, unknown> = { numberJson, mapJson };
    const cases = fields.map((field) => {
      const variable = variableOf(field);
      field.resolve();
      const { resolvedType } = field;
      let value = scalarRead(field.type);
      let none = literal(scalarDefault(field));
      if (resolvedType instanceof protobuf.Enum) {
        used[`names${field.id}`] = enumJson(resolvedType);
        value = `(names${field.id}[r.int32()]??'null')`;
      } else if (resolvedType) {
        used[`type${field.id}`] = this.#entry(resolvedType);
        value = `type${field.id}.walk(r,r.uint32(),n+1)`;
        none = `type${field.id}.walk(r,0,n+1)`;
      }
      const read =
        field instanceof protobuf.MapField
          ? mapCase(field, field.keyType, value, none)
          : field.repeated
            ? listCase(field, value)
            : `${variable}=${value};`;
      return `case ${field.id}:{${read}break}`;
    });
    const code = `return (r,l,n)=>{
      const outer=r.open(l,n),c=r.len;
      ${fields.map((field) => `let ${variableOf(field)}=${initial(field)};`).join('')}
      while(r.pos<c){const t=r.uint32();switch(t>>>3){${cases.join('')}default:r.skipType(t&7,n)}}
      r.close(c,outer);
      return ${result}}`;
    // oxlint-disable-next-line typescript/no-implied-eval -- made of descriptors alone, as the codec of protobufjs is
    const compiled = new Function(...Object.keys(used), code) as (...values: unknown[]) => Walk<Result>;
    return compiled(...Object.values(used));
  }
}

const unfinished: Walk = () => {
  throw new Error('the walk of this type is still being made');
};

const variableOf = ({ id }: { readonly id: number }): string => `f${id}`;

function scalarRead(type: string): string {
  switch (type) {
    case 'string':
      return 'r.stringJson()';
    case 'bytes':
      return 'r.bytesJson()';
    case 'bool':
      return "(r.bool()?'true':'false')";
    case 'double':
    case 'float':
      return `numberJson(r.${type}())`;
    case 'int64':
    case 'uint64':
      return `(r.shortVarint()??r.${type}().toString())`;
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      return `r.${type}().toString()`;
    default:
      return `String(r.${type}())`;
  }
}

/** What has no value in a message, in code. */
function initial(field: protobuf.Field): string {
  field.resolve();
  if (field.map) return 'undefined';
  if (field.repeated) return "''";
  // A union asks for what is there, and has nothing but messages.
  if (field.resolvedType instanceof protobuf.Type || field.partOf !== null) return 'undefined';
  return literal(scalarDefault(field));
}

const scalarDefault = ({ type, resolvedType }: protobuf.Field): ByteText => {
  if (resolvedType) return 'null';
  if (type === 'string' || type === 'bytes') return '""';
  return type === 'bool' ? 'false' : '0';
};

function listCase(field: protobuf.Field, value: string): string {
  const variable = variableOf(field);
  // A value of an enum that is not known here is no item.
  const isItem = field.resolvedType instanceof protobuf.Enum ? "if(v!=='null')" : '';
  const add = `{const v=${value};${isItem}${variable}=${variable}===''?v:${variable}+','+v}`;
  const isPackable =
    !(field.resolvedType instanceof protobuf.Type) && field.type !== 'string' && field.type !== 'bytes';
  return isPackable
    ? `if((t&7)===2){const o=r.open(r.uint32(),0),e=r.len;while(r.pos<e)${add}r.close(e,o)}else${add}`
    : add;
}

/** `none` is what an entry without a value has, in code. */
function mapCase(field: protobuf.Field, keyType: string, value: string, none: string): string {
  if (keyType.endsWith('64')) throw new Error(`${field.fullName}: keys of 64 bits have no form in JSON`);
  const variable = variableOf(field);
  const noKey = keyType === 'string' ? "''" : keyType === 'bool' ? 'false' : '0';
  return `${variable}??=Object.create(null);let k=${noKey},v;const o=r.open(r.uint32(),0),e=r.len;
    while(r.pos<e){const u=r.uint32();switch(u>>>3){case 1:k=r.${keyType}();break;case 2:v=${value};break;default:r.skipType(u&7,n)}}
    v??=${none};r.close(e,o);${variable}[k]=v;`;
}

/** The JSON of a field that was read, in code. */
function shown(field: protobuf.Field): string {
  const variable = variableOf(field);
  if (field.map) return `mapJson(${variable})`;
  if (field.repeated) return `'['+${variable}+']'`;
  return initial(field) === 'undefined' ? `(${variable}??'null')` : variable;
}

function jsonExpression(type: protobuf.Type, fields: readonly protobuf.Field[]): string {
  const [only, ...others] = fields;
  if (isUnwrapped(type)) {
    if (!only || others.length > 0) {
      throw new Error(`${type.fullName.slice(1)} is unwrapped, so it must have exactly one field`);
    }
    return shown(only);
  }
  const discriminator = discriminatorOf(type);
  if (discriminator !== undefined) return unionExpression(type, fields, discriminator);
  if (fields.length === 0) return "'{}'";
  const member = ({ name }: protobuf.Field, before: string): string => literal(`${before}${nameJson(name)}:`);
  if (!fields.some((field) => fieldRules(field).omitEmpty)) {
    const members = fields.map((field, index) => `${member(field, index === 0 ? '{' : ',')}+${shown(field)}`);
    return `${members.join('+')}+'}'`;
  }
  const members = fields.map((field) => {
    const text = `${member(field, ',')}+${shown(field)}`;
    const value = shown(field);
    return fieldRules(field).omitEmpty ? `(${value}==='null'||${value}==='""'||${value}==='[]'?'':${text})` : text;
  });
  return `'{'+(${members.join('+')}).slice(1)+'}'`;
}

function unionExpression(type: protobuf.Type, fields: readonly protobuf.Field[], discriminator: string): string {
  const [oneof, ...others] = type.oneofsArray;
  const isMember = (field: protobuf.Field): boolean =>
    field.partOf === oneof && field.resolvedType instanceof protobuf.Type;
  if (!oneof || others.length > 0 || !fields.every(isMember)) {
    throw new Error(
      `${type.fullName.slice(1)} has a discriminator, so it must be one oneof of messages and nothing else`,
    );
  }
  return fields.reduceRight((rest, field) => {
    const { resolvedType } = field;
    const isObject = resolvedType instanceof protobuf.Type && !isUnwrapped(resolvedType);
    if (
      !isObject ||
      Object.hasOwn(wellKnown, resolvedType.fullName) ||
      Object.hasOwn(resolvedType.fields, discriminator)
    ) {
      throw new Error(`${field.fullName} is in a union, so it must be an object without "${discriminator}"`);
    }
    const variable = variableOf(field);
    const tag = JSON.stringify(fieldRules(field).tag ?? field.name);
    const head = `{${nameJson(discriminator)}:${byteText(tag)}`;
    // A union of its own that is none of its members is null.
    const isEmpty = `${variable}==='{}'||${variable}==='null'`;
    return `(${variable}===undefined?${rest}:${isEmpty}?${literal(`${head}}`)}:${literal(`${head},`)}+${variable}.slice(1))`;
  }, "'null'");
}

const nameJson = (name: string): ByteText => byteText(JSON.stringify(name));
const literal = (text: string): string => JSON.stringify(text);

/** The names of an enum by their numbers; zero and below are none. */
const enumJson = ({ valuesById }: protobuf.Enum): Readonly<Record<number, ByteText>> =>
  Object.fromEntries(
    Object.entries(valuesById)
      .filter(([number]) => Number(number) > 0)
      .map(([number, name]) => [number, nameJson(name)]),
  );
