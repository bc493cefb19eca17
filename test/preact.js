// Stands in for preact and its JSX, which are ES modules: Node.js loads them where Jest cannot.
const { requireOutside } = globalThis;

module.exports = { ...requireOutside('preact'), ...requireOutside('preact/jsx-runtime') };
