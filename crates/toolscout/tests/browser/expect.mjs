// Ends a walk where something is not as it should be.

export function expect(condition, words) {
    if (!condition) throw new Error(words);
}
