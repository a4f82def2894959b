//! The engine in a browser: text in and text out through the module's memory, without generated code.
//!
//! The page calls `room(n)`, writes a request of n bytes there, and calls `reply(address, n)`. The answer begins with its
//! length in four bytes, little-endian; `done(address, n)` gives memory back.

#![allow(unsafe_code, reason = "memory is shared with the page by address; nothing else in this crate is unsafe")]

/// Memory for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Gives back memory that [`room`] or [`reply`] returned, with its length.
///
/// # Safety
/// The address and the length are those of one such call, and are not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn done(address: *mut u8, length: usize) {
    // SAFETY: the caller returns what it was given.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) });
}

/// Answers the request at this address, which is given back by this call.
///
/// # Safety
/// The address and the length are those of a call of [`room`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reply(address: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: the caller passes what it was given by `room`.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) };
    let answer = match std::str::from_utf8(&request) {
        Ok(request) => crate::answer(request),
        Err(_) => crate::refusal("data", "the request is not UTF-8"),
    };
    let mut bytes = (answer.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(answer.as_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}
