import { optional, text, url } from '@platform-backend/core';

/** The variables that switch TLS between services on; all absent means plain connections. */
export const tlsSettings = {
  GRPC_TLS_CERTIFICATE: optional(text({ example: 'certs/service.pem', mustBe: 'the path of a PEM certificate' })),
  GRPC_TLS_KEY: optional(text({ example: 'certs/service.key', mustBe: 'the path of a PEM private key' })),
  GRPC_TLS_AUTHORITY: optional(text({ example: 'certs/authority.pem', mustBe: 'the path of a PEM certificate' })),
} as const;

/** The variable that switches traces on. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url({ protocols: ['http', 'https'], example: 'http://collector:4318' })),
} as const;
