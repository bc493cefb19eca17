// The package's own types declare another module name.
declare module '@mixmark-io/domino' {
  const domino: { createDocument(markup?: string): Document };
  export default domino;
}
