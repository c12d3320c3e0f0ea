import { text } from '@platform-backend/core';

/** For services that call addresses which organisations name. */
export const outboundSettings = {
  OUTBOUND_ALLOWED_HOSTS: text({
    default: '',
    defaultDescription: 'none',
    example: 'crm.internal, 10.0.0.7:8080',
    pattern: /^[\w.:[\], -]*$/,
    mustBe: 'names of hosts with commas between, each with a port or without',
    description:
      'hosts that organisations may name although their addresses are not public, also by http; all others are called by https at public addresses alone',
  }),
};
