import { fdxSubject } from '../../fdx/subject.ts'

export const subject = fdxSubject('flinks-outbound', { isFlat: false, repeatedPage: 'repeatPage' })
