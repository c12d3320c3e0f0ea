export { contractOf, loadContract, loadServiceContract, type Contract } from './contract.ts';
export { camelCase } from './definitions.ts';
export { stateOfTag, type EntityTagReader } from './entity-tag.ts';
export { filesOfDomain, SHARED_EVENT_FILES, type DomainContract } from './domain-contract.ts';
export { isPublishedBy, isSharedEvent, readEvents, type EventDefinition } from './events.ts';
export { describeFile, descriptorFiles, protoImage } from './image.ts';
export { loadProtos, protoFiles, protosDirectory, shortenEnumValues } from './load.ts';
export { IDEMPOTENCY_KEY, readOperations, type Operation } from './operations.ts';
export {
  discriminatorOf,
  eventOf,
  fieldRules,
  isUnwrapped,
  levelsPassingRequestLimit,
  maxBytesOf,
  type FieldRules,
  type HttpDialect,
  type JsonKind,
  type PermissionLevel,
  type StringFormat,
  type StringRules,
} from './options.ts';
export type { RequestCheck, StreamCheck } from './checks/request-check.ts';
