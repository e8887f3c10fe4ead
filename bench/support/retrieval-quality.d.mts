export interface JudgedQuery {
  readonly text: string;
  /** By document id, above zero only. */
  readonly grades: ReadonlyMap<string, number>;
}

export interface JudgedSet {
  readonly name: string;
  readonly documents: readonly { readonly _id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly JudgedQuery[];
}

export interface Quality {
  readonly ndcg: number;
  readonly recall: number;
}

export function readSet(folder: string): JudgedSet;
export function qualityOf(ids: readonly string[], grades: ReadonlyMap<string, number>): Quality;
export function meanOf(qualities: readonly Quality[]): Quality;
