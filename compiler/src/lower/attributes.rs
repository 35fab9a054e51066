//! Attributes inside a body that the companions cannot keep.

use super::Lowering;
use crate::diag::catalog;
use syn::spanned::Spanned;
use syn::visit::Visit;

impl Lowering<'_> {
    /// Refuses conditional compilation of parts of a body: which of them exist is not known here.
    pub(crate) fn check_attributes(&mut self, body: &syn::Block) {
        let mut found = Conditions(Vec::new());
        found.visit_block(body);
        for attribute in found.0 {
            self.refuse(attribute.span(), &catalog::CFG_INSIDE, &[]);
        }
    }
}

struct Conditions<'b>(Vec<&'b syn::Attribute>);

impl<'b> Visit<'b> for Conditions<'b> {
    fn visit_attribute(&mut self, attribute: &'b syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.0.push(attribute);
        }
    }

    // items are repeated as they are
    fn visit_item(&mut self, _: &'b syn::Item) {}
}
