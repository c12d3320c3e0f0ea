import type protobuf from 'protobufjs';
import { maxBytesOf } from '../options/message-options.ts';
import type { Findings } from '../validation/findings.ts';
import { bytesTooLong } from '../validation/problem.ts';

/** The check of a request's size as it travels between services. It speaks only when every field is right in itself. */
export function sizeCheck(type: protobuf.Type): (bytes: number, findings: Findings | undefined) => boolean {
  const maximum = maxBytesOf(type);
  if (maximum === undefined) return () => true;
  const tooLong = bytesTooLong(maximum);
  return (bytes, findings) => {
    if (bytes <= maximum) return true;
    findings?.add(tooLong, ['body'], null);
    return false;
  };
}
