/** The remedy for a bucket that does not exist: the API has no operation that creates one. */
export const createBucket =
  "create it first: on S3 with the tools of S3, on file storage as a folder of that name beside the other buckets " +
  "(by default in <data>/buckets)";
