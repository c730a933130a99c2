export interface Mail {
  id: string
  kind: 'link' | 'repair' | 'handOff' | 'consentEnding' | 'ownerPage' | 'agreed' | 'withdrawn' | 'invitation' | 'passwordReset'
  companyId: string | null
  to: string
  state: 'waiting' | 'sent' | 'refused' | 'failed'
  attempts: number
  problem: string | null
  createdOn: string
  settledOn: string | null
}

export interface MailSettings {
  writesToOwners: boolean
  canSend: boolean
}

export interface CaughtMail {
  id: string
  on: string
  from: string
  to: string
  subject: string
  text: string
  page: string
}
