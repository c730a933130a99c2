import { fdxSubject } from '../../fdx/subject.ts'

export const subject = fdxSubject('akoya', { isFlat: false, repeatedPage: 'repeatPage' })
