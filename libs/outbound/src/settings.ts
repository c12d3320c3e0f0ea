import { optional, secret, text } from '@platform-backend/core';

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

/** For services that keep secrets of organisations. */
export const secretSettings = {
  SECRETS_KEY: optional(
    secret(
      text({
        mustBe: 'text of at least 16 characters',
        pattern: /^.{16,}$/s,
        description:
          'seals the secrets that organisations give, before they are stored; the same for all replicas; made by `npm start`. Without it none are taken',
      }),
    ),
  ),
  SECRETS_KEY_OTHER: optional(
    secret(
      text({
        mustBe: 'text of at least 16 characters',
        pattern: /^.{16,}$/s,
        description:
          'the key before `SECRETS_KEY`, or the one to come, while it is replaced: it opens what it has sealed',
      }),
    ),
  ),
};
