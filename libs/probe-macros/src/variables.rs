//! Implements `Variables` for a struct.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Data, DeriveInput, Expr, Field, Ident, LitStr, Member, Meta, Token};

/// The content of `#[variable(…)]`.
#[derive(Default)]
struct Options {
    name: Option<LitStr>,
    with: Option<Expr>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let mut options = Options::default();
        if input.peek(LitStr) {
            options.name = Some(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if !input.is_empty() {
            let key: Ident = input.parse()?;
            if key != "with" {
                return Err(syn::Error::new(key.span(), "a variable takes a name and `with = FUNCTION`"));
            }
            input.parse::<Token![=]>()?;
            options.with = Some(input.parse()?);
        }
        Ok(options)
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new(input.ident.span(), "variables are taken from a struct's fields"));
    };
    let mut statements = Vec::new();
    for (index, field) in data.fields.iter().enumerate() {
        let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
        for attribute in &field.attrs {
            statements.extend(statement(attribute, field, &member)?);
        }
    }
    let statements = if cfg!(feature = "controlled") { statements } else { Vec::new() };
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::kilter_probe::Variables for #name #arguments #bounds {
            #[inline]
            fn variables(&self, into: &mut ::kilter_probe::Report) {
                let _ = &into;
                #(#statements)*
            }
        }
    })
}

/// The statement for an attribute of a field. `None` if the attribute is not one of ours.
fn statement(attribute: &Attribute, field: &Field, member: &Member) -> syn::Result<Option<TokenStream>> {
    if attribute.path().is_ident("variables") {
        return Ok(Some(quote!(::kilter_probe::Variables::variables(&self.#member, into);)));
    }
    if !attribute.path().is_ident("variable") {
        return Ok(None);
    }
    let options = match &attribute.meta {
        Meta::Path(_) => Options::default(),
        _ => attribute.parse_args()?,
    };
    let name = match (&options.name, &field.ident) {
        (Some(name), _) => name.value(),
        (None, Some(field)) => field.to_string(),
        (None, None) => {
            let reason = "a field without a name needs one for its variable: #[variable(\"name\")]";
            return Err(syn::Error::new_spanned(attribute, reason));
        }
    };
    let value = match &options.with {
        Some(with) => quote!(&(#with)(&self.#member)),
        None => quote!(&self.#member),
    };
    Ok(Some(quote!(into.add(#name, #value);)))
}
