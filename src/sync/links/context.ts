import type { Catalogue, Clock, Store, Vault } from '../context/groups.ts'

/** Dependencies for issuing and opening a link. */
export interface LinkContext extends Store, Vault, Catalogue, Clock {}
