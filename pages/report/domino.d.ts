// The package's own types declare another module name.
declare module '@mixmark-io/domino' {
  /** The part of a browser's document that Plot needs for drawing. */
  export interface DrawingDocument {
    createElement(name: string): DrawnElement;
    createElementNS(namespace: string, name: string): DrawnElement;
  }

  export interface DrawnElement {
    readonly outerHTML: string;
    querySelector(selector: string): DrawnElement | null;
    querySelectorAll(selector: string): Iterable<DrawnElement>;
    removeAttribute(name: string): void;
    setAttribute(name: string, value: string): void;
    remove(): void;
  }

  const domino: { createDocument(markup?: string): DrawingDocument };
  export default domino;
}
