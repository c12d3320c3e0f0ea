/** All objects of datasets of an organisation lie below it. */
export const objectsOf = (organisationId: string): string => `datasets/${organisationId}/`;

export const versionKey = (organisationId: string, versionId: string): string =>
  `${objectsOf(organisationId)}versions/${versionId}`;

export const uploadKey = (organisationId: string, datasetId: string, uploadId: string): string =>
  `${objectsOf(organisationId)}uploads/${datasetId}/${uploadId}`;

/** What is written down for the pods of a run, and what they report, lies below it. */
export const runObjects = (organisationId: string, runId: string): string =>
  `${objectsOf(organisationId)}runs/${runId}/`;

/** Of the key of an upload; undefined for any other. */
export function datasetOfUpload(
  key: string,
): { readonly organisationId: string; readonly datasetId: string } | undefined {
  const [, organisationId, datasetId] = /^datasets\/([^/]+)\/uploads\/([^/]+)\/[^/]+$/.exec(key) ?? [];
  return organisationId === undefined || datasetId === undefined ? undefined : { organisationId, datasetId };
}
