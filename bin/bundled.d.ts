export const CURRENT: string
export const ENTRY: string
export function bundlesOf(root: string): string
export function findBundle(root: string): string | null
export function rememberBundle(root: string): string | null
export function hashFiles(root: string, paths: readonly string[]): string | null
