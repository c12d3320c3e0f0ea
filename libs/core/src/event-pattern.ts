import type { DomainEvent, Fields } from './decision.ts';

/** The published payloads of a domain by the names of its events, generated from the .proto files. */
export type EventPayloads = Readonly<Record<string, Fields>>;

/** A fact of a domain: one of its events, or any, with the payload that belongs to it. */
export type EventOf<Payloads extends EventPayloads, Name extends keyof Payloads = keyof Payloads> = {
  [One in Name]: DomainEvent<One & string, Payloads[One]>;
}[Name];

declare const known: unique symbol;

/**
 * A type of published events, or a pattern of them with `*` for the last word. It is a plain string, of which the compiler
 * knows besides what the payload is.
 */
export type EventPattern<On extends string = string, Data extends Fields = Fields> = On & {
  readonly [known]?: { readonly on: On; readonly data: Data };
};

/** The string itself. */
export type OnOf<Pattern> = Pattern extends EventPattern<infer On, infer _Data> ? On : Pattern;

/** The payload of the events of a pattern; of a plain string nothing is known. */
export type DataOf<Pattern> = Pattern extends EventPattern<infer _On, infer Data> ? Data : Fields;

/** `client_group.updated`, `client_group.*` */
type NamesIn<Payloads> = keyof Payloads & string;
type PatternsOn<Payloads> = NamesIn<Payloads> extends `${infer Entity}.${string}` ? `${Entity}.*` : never;
type Matching<Payloads extends EventPayloads, On> = On extends `${infer Entity}.*`
  ? Payloads[keyof Payloads & `${Entity}.${string}`]
  : Payloads[keyof Payloads & On];

/** Names the published events of a domain: `identityEvents('client_group.*')`. */
export const eventsOf =
  <Payloads extends EventPayloads, Domain extends string>(domain: Domain) =>
  <const Name extends NamesIn<Payloads> | PatternsOn<Payloads>>(
    name: Name,
  ): EventPattern<`platform.v1.${Domain}.${Name}`, Matching<Payloads, Name>> =>
    `platform.v1.${domain}.${name}` as const;
