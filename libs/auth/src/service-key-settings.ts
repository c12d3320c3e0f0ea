import { json } from '@platform-backend/core';
import type { JSONWebKeySet, JWK } from 'jose';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPrivateKey = (value: unknown): value is JWK => isRecord(value) && typeof value['d'] === 'string';

const isKeySet = (value: unknown): value is JSONWebKeySet => isRecord(value) && Array.isArray(value['keys']);

/** The variable of a process that makes calls: the key it signs its assertions with. */
export const privateKeySettings = {
  SERVICE_PRIVATE_KEY: json(isPrivateKey, {
    mustBe: 'a private JWK',
    example: '{"kty":"OKP","crv":"Ed25519",...}',
    description: 'Ed25519, with `kid` = its own name; it signs on whose behalf another service is called',
  }),
} as const;

/** The variable of a process that is called: the keys by which it believes an assertion. */
export const publicKeysSettings = {
  SERVICE_PUBLIC_KEYS: json(isKeySet, {
    mustBe: 'a JWKS of all services',
    example: '{"keys":[...]}',
    description: 'the public keys of all that call, by which it believes who calls',
  }),
} as const;
