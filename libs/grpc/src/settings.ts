import { oneOf, optional, text, url } from '@platform-backend/core';

/** The variables that switch TLS between services on; all absent means plain connections. */
export const tlsSettings = {
  GRPC_TLS_CERTIFICATE: optional(
    text({
      example: 'certs/service.pem',
      mustBe: 'the path of a PEM certificate',
      description: 'with the two below, TLS between services; without any of them connections are plain',
    }),
  ),
  GRPC_TLS_KEY: optional(
    text({
      example: 'certs/service.key',
      mustBe: 'the path of a PEM private key',
      description: 'the key of that certificate',
    }),
  ),
  GRPC_TLS_AUTHORITY: optional(
    text({
      example: 'certs/authority.pem',
      mustBe: 'the path of a PEM certificate',
      description: 'by whom the certificates of the others are signed',
    }),
  ),
} as const;

/** The variable that switches traces on. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    url({
      protocols: ['http', 'https'],
      example: 'http://collector:4318',
      description:
        'an OTLP collector over HTTP, to which traces are sent; without it nothing is traced, and nothing loaded for it',
    }),
  ),
} as const;

/** The variable of a process that serves gRPC which switches reflection on. */
export const reflectionSettings = {
  GRPC_REFLECTION: oneOf(['off', 'on'], {
    default: 'off',
    defaultDescription: '`off`; `npm start` sets `on`',
    description:
      'whether it tells anybody who reaches its port what services and messages it has, as `buf curl` and `grpcurl` ask it; calls need an assertion all the same',
  }),
} as const;
