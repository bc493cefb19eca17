export function listSelectedFiles(): readonly string[];
