import type { Catalogue, Clock, Store, Vault } from '../context/groups.ts'

/** What issuing and opening a link takes. */
export interface LinkContext extends Store, Vault, Catalogue, Clock {}
