export { AddressRefused, ResponseTooLarge } from './failures.ts';
export { outboundFetch, type OutboundFetch, type OutboundOptions } from './outbound-fetch.ts';
export { addressPolicy, type AddressPolicy } from './address-policy.ts';
export { secretBox, SecretsNotSetUp, SecretUnreadable, type SecretBox } from './secret-box.ts';
export { outboundSettings, secretSettings } from './settings.ts';
