import { isDocument, type Document, type Value } from '../bson/values.ts';
import { notImplemented, ServerError } from '../errors.ts';
import { along, type Expression } from './expression.ts';
import { arithmetic } from './operators/arithmetic.ts';
import { arrays } from './operators/arrays.ts';
import { conversions } from './operators/conversions.ts';
import { logic } from './operators/logic.ts';

const operators = new Map(Object.entries({ ...arithmetic, ...arrays, ...conversions, ...logic }));

export function compileExpression(value: Value): Expression {
  if (typeof value === 'string' && value.startsWith('$')) return reference(value);
  if (Array.isArray(value)) {
    const parts = value.map(compileExpression);
    return (scope) => parts.map((part) => part(scope) ?? null);
  }
  if (!isDocument(value)) return () => value;
  const [name = ''] = value.keys();
  if (name.startsWith('$')) return operation(name, value);
  const fields = [...value].map(([field, inner]) => [field, compileExpression(inner)] as const);
  return (scope) => {
    const document: Document = new Map();
    for (const [field, inner] of fields) {
      const result = inner(scope);
      if (result !== undefined) document.set(field, result);
    }
    return document;
  };
}

function operation(name: string, value: Document): Expression {
  if (value.size !== 1)
    throw new ServerError(
      15983,
      `An object representing an expression must have exactly one field: ${[...value.keys()].join()}`,
    );
  const operator = operators.get(name);
  if (operator) return operator(value.get(name) ?? null, { name, compile: compileExpression });
  if (known.has(name)) throw notImplemented(name);
  throw new ServerError(168, `Unrecognized expression '${name}'`);
}

/** What MongoDB has and this server has not. */
const known = new Set(
  `$abs $accumulator $acos $acosh $allElementsTrue $anyElementTrue $arrayToObject $asin $asinh $atan $atan2 $atanh $binarySize
  $bitAnd $bitNot $bitOr $bitXor $ceil $concat $convert $cos $cosh $dateAdd $dateDiff $dateFromParts $dateFromString $dateSubtract
  $dateToParts $dateToString $dateTrunc $dayOfMonth $dayOfWeek $dayOfYear $degreesToRadians $divide $exp $firstN $floor $function $getField
  $hour $indexOfArray $indexOfBytes $indexOfCP $isNumber $isoDayOfWeek $isoWeek $isoWeekYear $lastN $ln $log $log10 $ltrim $maxN $median
  $meta $millisecond $minN $minute $month $objectToArray $percentile $pow $radiansToDegrees $rand $range $reduce $regexFind
  $regexFindAll $regexMatch $replaceAll $replaceOne $reverseArray $round $rtrim $sampleRate $second $setDifference $setEquals $setField $setIntersection $setIsSubset $sin $sinh
  $sortArray $split $sqrt $stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp $substr $substrBytes $substrCP $switch $tan $tanh $toBool $toDate
  $toDecimal $toDouble $toHashedIndexKey $toInt $toLong $toLower $toObjectId $toString $toUpper $trim $trunc $tsIncrement $tsSecond $unsetField $week $year
  $zip`.split(/\s+/),
);

function reference(text: string): Expression {
  if (!text.startsWith('$$')) {
    const path = pathOf(text.slice(1));
    return ({ root }) => along(root, path, 0);
  }
  const [name = '', ...path] = text.slice(2).split('.');
  if (name === 'ROOT' || name === 'CURRENT') return ({ root }) => along(root, path, 0);
  if (name === 'REMOVE') return () => undefined;
  if (name === 'NOW') return ({ variables }) => along(variables.get(name) ?? new Date(), path, 0);
  if (/^[A-Z]/.test(name)) throw new ServerError(17276, `Use of undefined variable: ${name}`);
  return ({ variables }) => {
    if (!variables.has(name)) throw new ServerError(17276, `Use of undefined variable: ${name}`);
    return along(variables.get(name), path, 0);
  };
}

export function pathOf(text: string): string[] {
  const path = text.split('.');
  if (path.includes('')) throw new ServerError(40353, 'FieldPath must not end with a dot or have empty parts');
  if (path.some((name) => name.startsWith('$')))
    throw new ServerError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    );
  return path;
}
