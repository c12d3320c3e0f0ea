export { discardBody } from './discard-body.ts';
export { AddressRefused, networkErrorCode, ResponseTooLarge } from './failures.ts';
export { outboundFetch, type OutboundFetch, type OutboundOptions } from './outbound-fetch.ts';
export { addressPolicy, type AddressPolicy } from './address-policy.ts';
export { outboundSettings } from './settings.ts';
export { hostRefusal, isAllowedHost, outboundAddress, type OutboundAddress } from './outbound-address.ts';
