interface CreatedWithinRequest {
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
}

/** The part of a list that was made within the time asked for. */
export const createdWithin = ({ createdAfter, createdBefore }: CreatedWithinRequest) => ({
  ...(createdAfter && { createdAfter }),
  ...(createdBefore && { createdBefore }),
});
