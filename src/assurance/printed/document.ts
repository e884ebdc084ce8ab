/** A part of a printed document. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'items'; readonly items: readonly string[] }
  /** Pairs of a label and what is said of it. */
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'drawing'; readonly drawing: Drawing };

/** Rectangles with words and lines between them; lengths are in units of the drawing. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
}

interface DrawnBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly fill: string;
  readonly text: string;
}

/** A line with its words. */
export interface DrawnLine {
  readonly points: readonly (readonly [number, number])[];
  readonly isDashed: boolean;
  readonly label: { readonly x: number; readonly y: number; readonly text: string };
}

/** A section of a printed document. */
export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** A document before it is set in type. */
export interface PrintedDocument {
  readonly title: string;
  /** Stands below the title. */
  readonly about: readonly string[];
  readonly sections: readonly Section[];
  /** Stands at the foot of each page, before its number. */
  readonly footer: string;
  /** When it was made: the date inside the file. */
  readonly madeAt: Date;
}
