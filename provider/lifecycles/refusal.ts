/** An operation is refused before it has submitted or deleted anything: the report counts its resource as refused. */
export class Refusal extends Error {}
