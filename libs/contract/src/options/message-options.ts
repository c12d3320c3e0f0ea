import type { Enum, Type } from 'protobufjs';
import { optionsPackage, rawOption, reader, textOption } from './declared-option.ts';

/** What people call the message: "Client group". */
export function displayNameOf(type: Type): string | undefined {
  return textOption(type, 'display_name');
}

/** The event whose payload the message is, as its domain calls it: `client_group.updated`. */
export function eventOf(type: Type): string | undefined {
  return textOption(type, 'event');
}

/** The domains that publish an event which domains share; undefined: all do. */
export function eventPublishersOf(type: Type): readonly string[] | undefined {
  const option = rawOption(type, `${optionsPackage}.event_publishers`);
  return option === undefined ? undefined : reader(option, type.fullName).list('domains');
}

/** The JSON key that tells the members of the message's single oneof apart. */
export function discriminatorOf(type: Type): string | undefined {
  return textOption(type, 'discriminator');
}

/** Whether the message stands in JSON for its only field. */
export function isUnwrapped(type: Type): boolean {
  return rawOption(type, `${optionsPackage}.unwrapped`) === true;
}

/** The most bytes that a request of this type may have, as it travels between services. */
export function maxBytesOf(type: Type): number | undefined {
  const value = rawOption(type, `${optionsPackage}.max_bytes`);
  return typeof value === 'number' ? value : undefined;
}

/** How the same is done with a larger request than of this type may be, where there is a way. */
export const maxBytesHintOf = (type: Type): string | undefined => textOption(type, 'max_bytes_hint');

/** Whether the short names of an enum are lower-case (`active`) or capitalised (`Running`). */
export function enumCaseOf(declared: Enum): 'lower' | 'capitalised' | 'upper' {
  if (rawOption(declared, `${optionsPackage}.lower_case`) === true) return 'lower';
  return rawOption(declared, `${optionsPackage}.capitalised`) === true ? 'capitalised' : 'upper';
}
