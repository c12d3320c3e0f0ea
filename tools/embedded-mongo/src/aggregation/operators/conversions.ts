import { Int32 } from 'bson';
import { encode } from '../../bson/codec.ts';
import { isDocument, typeOf } from '../../bson/values.ts';
import { ServerError } from '../../errors.ts';
import { isNothing, strict, type Operator } from '../expression.ts';

export const conversions = {
  $type: strict([1, 1], ([value]) => (value === undefined ? 'missing' : typeOf(value))),
  $bsonSize: strict([1, 1], ([value]) => {
    if (isNothing(value)) return null;
    if (!isDocument(value)) throw new ServerError(31393, '$bsonSize requires a document input');
    return new Int32(encode(value).length);
  }),
} satisfies Record<string, Operator>;
